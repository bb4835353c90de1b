#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises'
import { runCommand } from './command.ts'

const ended = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => ended.abort(new Error(signal)))
}

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  readFile: (path) => readFile(path, 'utf8'),
  writeFile,
  signal: ended.signal,
})
