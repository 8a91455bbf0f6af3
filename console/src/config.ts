const root = document.getElementById('root')
if (!root) throw new Error('the document of the console has no #root')

/** What the service says in the document. */
export const CONFIG = {
  root,
  /** Lets the styles that Mantine writes at run time through the policy. */
  nonce: root.dataset['nonce'] ?? '',
  lang: root.dataset['lang'] ?? 'en',
  /** The browser sent the cookie of a session with its request for the document. */
  hasSession: root.dataset['session'] === 'true',
  hasOidc: root.dataset['oidc'] === 'true',
  hasMail: root.dataset['mail'] === 'true',
  origin: location.origin,
} as const
