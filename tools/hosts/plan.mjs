/**
 * @typedef {object} Host
 * @property {string} app
 * @property {Record<string, string>} [versions] instead of those of its manifest
 * @property {true} [nightly]
 * @property {string[]} [node] options of Node
 * @property {string[]} [pages] of docs/frameworks, followed in its folder, beside its own test if it has one
 * @property {string} [start] instead of the command of the page
 * @property {'surface'} [without] what the page does not have
 */

/** @type {readonly Host[]} */
export const HOSTS = [
  { app: 'jest' },
  { app: 'jest', versions: { jest: '30.5.0' }, nightly: true },
  { app: 'loaders' },
  { app: 'loaders', node: ['--no-experimental-require-module'] },
  { app: 'typescript', versions: { typescript: '5.9.3' } },
  { app: 'typescript', versions: { typescript: '6.0.3' }, nightly: true },
  { app: 'servers', pages: ['node', 'express', 'fastify', 'koa', 'hono'] },
  { app: 'servers', pages: ['lambda'], start: 'node lambda-server.mjs', without: 'surface' },
  { app: 'servers', versions: { express: '4.22.2' }, pages: ['express'], nightly: true },
  { app: 'next', pages: ['next'], nightly: true },
  {
    app: 'next',
    versions: { next: '15.5.29', typescript: '5.9.3' },
    pages: ['next'],
    nightly: true,
  },
  { app: 'nest', pages: ['nest'], nightly: true },
  {
    app: 'nest',
    versions: {
      '@nestjs/common': '11.2.10',
      '@nestjs/core': '11.2.10',
      '@nestjs/platform-express': '11.2.10',
    },
    pages: ['nest'],
    nightly: true,
  },
  {
    app: 'sveltekit',
    pages: ['web'],
    start: 'npx vite build && ORIGIN=http://127.0.0.1:$PORT BODY_SIZE_LIMIT=32M node build',
    nightly: true,
  },
  {
    app: 'react-router',
    pages: ['web'],
    start: 'npx react-router build && npx react-router-serve build/server/index.js',
    nightly: true,
  },
  {
    app: 'astro',
    pages: ['web'],
    start: 'npx astro build && HOST=127.0.0.1 node dist/server/entry.mjs',
    nightly: true,
  },
  {
    app: 'nitro',
    pages: ['web'],
    start: 'npx nitropack build && node .output/server/index.mjs',
    nightly: true,
  },
  {
    app: 'bun',
    pages: ['workers'],
    start: 'node_modules/@oven/bun-linux-x64/bin/bun app.mjs',
    nightly: true,
  },
  {
    app: 'deno',
    pages: ['workers'],
    start: 'node_modules/@deno/linux-x64-glibc/deno serve --host 127.0.0.1 --port $PORT -A app.mjs',
    nightly: true,
  },
  { app: 'workerd', pages: ['workers'], start: 'node start.mjs', nightly: true },
]
