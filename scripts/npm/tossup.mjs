#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { findBun } from '../find-bun.mjs'
import { runMain } from '../run-main.mjs'

const bun = findBun(fileURLToPath(new URL('.', import.meta.url)))
if (!bun) {
  process.stderr.write(
    `tossup: the package "bun" has no binary for ${process.platform} ${process.arch}. Install tossup again, without --omit=optional.\n`,
  )
  process.exit(1)
}
await runMain(bun, [fileURLToPath(new URL('../../dist/tossup.js', import.meta.url)), ...process.argv.slice(2)])
