// Runs in a page: measures the hashes of the client library's solver.
import { sha256 } from '../sdk/src/sha256.ts'

const SALT = '5f2c1d9e?expires=1769860920&for=Zk3_pQ9vZ2LmXk3_&'

function hashesPerSecond(hashes: number): number {
  const startedAt = performance.now()
  for (let number = 0; number < hashes; number++) sha256(SALT + number)
  return (1_000 * hashes) / (performance.now() - startedAt)
}

Object.assign(globalThis, { hashesPerSecond })
