import type { BrowserContext, Page } from 'playwright-core'

/** Simulates a laptop with a fingerprint reader. `fails`: nobody puts a finger on it. */
export async function addPasskeyReader(context: BrowserContext, page: Page, { fails = false } = {}): Promise<void> {
  const devTools = await context.newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: !fails,
      automaticPresenceSimulation: true,
    },
  })
}
