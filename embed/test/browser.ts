import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
]

function isThere(): boolean {
  if (existsSync(PATH)) return true
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(`Chromium is required, and not at ${PATH}`)
  process.stderr.write(`Chromium is not at ${PATH}: its tests are skipped\n`)
  return false
}

/** Whether this machine has the browser that the tests of pages run in. */
export const hasChromium: boolean = isThere()

export const openBrowser = (flags: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: PATH, args: [...FLAGS, ...flags] })
