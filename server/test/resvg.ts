import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { initWasm } from '@resvg/resvg-wasm'

let ready: Promise<void> | null = null

/** For tests that inspect drawings. WebAssembly can be initialised only once in a process. */
export function readyToDraw(): Promise<void> {
  ready ??= initWasm(readFile(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))
  return ready
}
