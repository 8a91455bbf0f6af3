import { createContext, createElement, type ReactNode, useContext, useMemo } from 'react'
import { Visitor } from '../visitor.ts'

const VisitorContext = createContext<Visitor | null>(null)

export type TossupProviderProps = { readonly children?: ReactNode } & (
  | { readonly url: string; readonly visitor?: undefined }
  | { readonly visitor: Visitor; readonly url?: undefined }
)

/**
 * Provides the visitor of a service to all polls within it. A server component passes `url`, because a visitor cannot be sent
 * to the browser.
 *
 * @example
 * <TossupProvider url="https://polls.example.com"><Poll poll="Xy12ab34CD56" /></TossupProvider>
 */
export function TossupProvider({ url, visitor, children }: TossupProviderProps): ReactNode {
  const value = useMemo(() => visitor ?? new Visitor({ url: url ?? '' }), [url, visitor])
  return createElement(VisitorContext.Provider, { value }, children)
}

/** The visitor of the nearest `TossupProvider`. */
export function useVisitor(): Visitor {
  const visitor = useContext(VisitorContext)
  if (!visitor) throw new Error('Wrap this component in a <TossupProvider>')
  return visitor
}
