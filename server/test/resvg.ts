import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { initWasm } from '@resvg/resvg-wasm'

let ready: Promise<void> | null = null

/** For tests that look at drawings: in one process this can be done once. */
export function readyToDraw(): Promise<void> {
  ready ??= initWasm(readFile(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))
  return ready
}
