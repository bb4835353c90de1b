export default { srcDir: 'server' }
