import type { Page } from 'playwright-core'

/** Deletes all that these sites have stored in the browser of the page; cached files stay. */
export async function forgetOrigins(page: Page, urls: readonly string[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  for (const url of urls)
    await devtools.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: 'all' })
  await devtools.detach()
}
