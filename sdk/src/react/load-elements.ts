interface Script extends EventTarget {
  type: string
  src: string
  remove(): void
}

interface Page {
  readonly document: {
    readonly head: { append(script: Script): void }
    createElement(name: 'script'): Script
  }
}

const loading = new Map<string, Promise<void>>()

/** Loads `/embed.js` once for all polls, by a script element, so that a strict policy needs only its origin. */
export function loadElements(url: string): Promise<void> {
  const present = loading.get(url)
  if (present !== undefined) return present
  const { document } = globalThis as unknown as Page
  const script = document.createElement('script')
  script.type = 'module'
  script.src = `${url}/embed.js`
  const loaded = new Promise<void>((resolve, reject) => {
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      // The next caller tries again.
      loading.delete(url)
      script.remove()
      reject(new Error(`${script.src} did not come`))
    })
  })
  // Where it cannot be added the next one tries again.
  document.head.append(script)
  loading.set(url, loaded)
  return loaded
}
