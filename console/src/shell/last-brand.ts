const KEY = 'tossup-console-brand'

/** Storage can be switched off: then nothing is remembered. */
export function lastBrand(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

export function rememberBrand(slug: string): void {
  try {
    localStorage.setItem(KEY, slug)
  } catch {
    // The next visit begins with the first brand.
  }
}
