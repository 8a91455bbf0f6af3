const root = document.getElementById('root')
if (!root) throw new Error('the document of the console has no #root')

/** Values that the service writes into the document. */
export const CONFIG = {
  root,
  /** The CSP nonce for styles that Mantine adds at run time. */
  nonce: root.dataset['nonce'] ?? '',
  lang: root.dataset['lang'] ?? 'en',
  /** The browser sent the cookie of a session with its request for the document. */
  hasSession: root.dataset['session'] === 'true',
  hasOidc: root.dataset['oidc'] === 'true',
  hasMail: root.dataset['mail'] === 'true',
  origin: location.origin,
} as const
