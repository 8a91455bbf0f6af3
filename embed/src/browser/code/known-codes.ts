import { isSet } from '../../theme/looks.ts'
import type { TossupElement } from '../tossup-element.ts'
import { readCode } from './read-code.ts'

/** A page of ours has taken the code out of its address: see inline-scripts.ts of the server. */
const page = globalThis as { tossupCode?: string | undefined }
/** By brand: one code is for all polls of a campaign, and of a list. */
const known = new Map<string, string>()

export const isKiosk = (element: TossupElement): boolean => isSet(element.getAttribute('kiosk'))

const keyOf = (brand: string): string => `tossup.code ${brand}`

/** Does nothing where the page may store nothing, or the browser denies it. */
function inTab<T>(use: (store: Storage) => T): T | null {
  try {
    return document.querySelector('[storage="none"]') ? null : use(sessionStorage)
  } catch {
    return null
  }
}

export const hasLinkedCode = (): boolean => page.tossupCode !== undefined

/** The code of the page's address, once. */
export function takeLinkedCode(): string {
  const { tossupCode = '' } = page
  page.tossupCode = undefined
  return tossupCode
}

/** For this tab alone, until it is closed. */
export function rememberCode(brand: string, code: string): void {
  known.set(brand, code)
  inTab((store) => store.setItem(keyOf(brand), code))
}

export function forgetCode(brand: string): void {
  known.delete(brand)
  inTab((store) => store.removeItem(keyOf(brand)))
}

export const forgetAllCodes = (): void => known.clear()

/** The code that the element was given, or that was used in this tab. At a kiosk everybody enters their own. */
export function codeOf(element: TossupElement & { readonly code?: unknown }, brand: string): string | undefined {
  if (isKiosk(element)) return known.get(brand)
  if (hasLinkedCode()) {
    const { code } = readCode(page.tossupCode ?? '')
    // A code of the wrong form is for the field.
    if (!code) forgetCode(brand)
    else rememberCode(brand, takeLinkedCode() && code)
  }
  const { code } = readCode(`${element.code ?? element.getAttribute('code') ?? ''}`)
  return code ?? known.get(brand) ?? inTab((store) => store.getItem(keyOf(brand))) ?? undefined
}
