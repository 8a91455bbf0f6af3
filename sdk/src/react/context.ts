import { createContext, createElement, type ReactNode, useContext } from 'react'
import type { Visitor } from '../visitor.ts'

const VisitorContext = createContext<Visitor | null>(null)

/**
 * Provides the service's visitor to all polls within it.
 *
 * @example
 * const visitor = new Visitor({ url: 'https://polls.example.com' })
 * <TossupProvider visitor={visitor}><Poll poll="Xy12ab34CD56" /></TossupProvider>
 */
export function TossupProvider({ visitor, children }: { visitor: Visitor; children?: ReactNode }): ReactNode {
  return createElement(VisitorContext.Provider, { value: visitor }, children)
}

/** The visitor of the nearest `TossupProvider`. */
export function useVisitor(): Visitor {
  const visitor = useContext(VisitorContext)
  if (!visitor) throw new Error('Wrap this component in a <TossupProvider>')
  return visitor
}
