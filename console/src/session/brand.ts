import { createContext, useContext } from 'react'
import type { Tossup } from '../../../sdk/src/index.ts'
import type { Role } from './use-session.ts'

export interface BrandInView {
  readonly slug: string
  readonly name: string
  readonly role: Role
  readonly memberId: string
  readonly tossup: Tossup
}

export const BrandContext = createContext<BrandInView | null>(null)

/** The brand of the page, and what this person may do for it. */
export function useBrand() {
  const brand = useContext(BrandContext)
  if (!brand) throw new Error('this page is not in a brand')
  return { ...brand, mayEdit: brand.role !== 'analyst', isOwner: brand.role === 'owner' }
}
