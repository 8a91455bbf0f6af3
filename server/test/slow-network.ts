import type { Page } from 'playwright-core'

/** A phone on a slow 3G network, as the throttling of Chromium's developer tools has it. */
export async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: (400 * 1024) / 8,
    uploadThroughput: (400 * 1024) / 8,
  })
}

/** Installed before the page loads: `window.shift` is the sum of its layout shifts. */
export const OBSERVE_SHIFTS =
  'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value }).observe({ type: "layout-shift", buffered: true })'
