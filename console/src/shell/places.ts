import type { Role } from '../session/use-session.ts'

const everybody = () => true
const editors = (role: Role) => role !== 'analyst'

/** The pages of the navigation, in its order: a new page needs a line here, one in `router.tsx` and its words. */
export const PLACES = [
  { name: 'overview', to: '/$brand', isFor: everybody },
  { name: 'polls', to: '/$brand/polls', isFor: everybody },
  { name: 'campaigns', to: '/$brand/campaigns', isFor: everybody },
  { name: 'codes', to: '/$brand/codes', isFor: editors },
  { name: 'webhooks', to: '/$brand/webhooks', isFor: editors },
  { name: 'brand', to: '/$brand/profile', isFor: editors },
  { name: 'look', to: '/$brand/theme', isFor: editors },
  { name: 'keys', to: '/$brand/keys', isFor: everybody },
  { name: 'people', to: '/$brand/people', isFor: everybody },
  { name: 'activity', to: '/$brand/activity', isFor: editors },
] as const satisfies readonly { name: string; to: string; isFor: (role: Role) => boolean }[]
