import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

// Chromium uses only the last --disable-features, so this list repeats those that Playwright disables.
const DISABLED_BY_PLAYWRIGHT =
  'AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch'
// Each window renders two pages for its address bar and keeps a spare process: half of the cost of a test.
const UNUSED_FEATURES = 'WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess'
const CHOSEN = process.env['CHROMIUM_PATH']
const PATH = CHOSEN ?? '/usr/bin/chromium'
/** Chromium's engine without its windows: a test takes less processor time. */
const SHELL = '/usr/bin/chromium-headless-shell'
const SMALLEST = CHOSEN === undefined && existsSync(SHELL) ? SHELL : PATH
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
  `--disable-features=${DISABLED_BY_PLAYWRIGHT},${UNUSED_FEATURES}`,
]

function isThere(): boolean {
  if (existsSync(PATH)) return true
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(`Chromium is required, and not at ${PATH}`)
  process.stderr.write(`Chromium is not at ${PATH}: its tests are skipped\n`)
  return false
}

/** True if this machine has the browser that the page tests use. */
export const hasChromium: boolean = isThere()

const open = (executablePath: string, flags: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...FLAGS, ...flags] })

export const openBrowser = (flags: readonly string[] = []): Promise<Browser> => open(SMALLEST, flags)

/** For what the shell does otherwise, such as the storage of a frame on another site, and for figures. */
export const openWholeBrowser = (flags: readonly string[] = []): Promise<Browser> => open(PATH, flags)
