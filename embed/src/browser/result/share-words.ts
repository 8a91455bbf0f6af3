import { wordsOf } from '../../words.ts'
import { isCopied } from './copy-text.ts'

interface Shared {
  readonly title: string
  readonly text: string
  readonly url: string
}

/**
 * Shares by the means of the device, else copies; returns what to tell the visitor. A frame may be allowed neither: then the
 * address itself is told.
 */
export async function shareWords(shared: Shared, lang: string): Promise<string> {
  if (navigator.share) {
    try {
      await navigator.share(shared)
      return ''
    } catch (error) {
      // The visitor closed the dialog.
      if (error instanceof DOMException && error.name === 'AbortError') return ''
    }
  }
  return (await isCopied(`${shared.text}\n${shared.url}`)) ? wordsOf(lang).copied : shared.url
}
