import type { Role } from '../base/roles.ts'

/** Who acts for a brand by an access token. `key` is internal, `id` is the public `appId` or `memberId`. */
export type Actor =
  | { readonly kind: 'app'; readonly key: number; readonly id: string }
  | { readonly kind: 'member'; readonly key: number; readonly id: string; readonly role: Role }

/** For limits and stored answers: the same for every token of an app, and for every session of a person. */
export const actorName = ({ kind, key }: Pick<Actor, 'kind' | 'key'>): string => `${kind} ${key}`
