import { memberRequired, roleRequired } from '../../../base/errors.ts'
import type { Actor, Guard } from '../../../http/guard.ts'
import type { Deps } from '../../deps.ts'
import { bearerOf } from './bearer.ts'
import { BEARER_SECURITY, type BrandCaller, brandGuard } from './guards.ts'

export interface MemberCaller extends BrandCaller {
  readonly actor: Extract<Actor, { kind: 'member' }>
}

/** For routes that only people may use: a token of a member of the brand, with any role. */
export function person(deps: Deps): Guard<MemberCaller> {
  return {
    ...brandGuard(deps),
    async admit(incoming) {
      const { brandKey, actor, scopes } = await bearerOf(deps, incoming)
      if (actor.kind !== 'member' || brandKey === null) throw memberRequired()
      return { brandKey, actor, scopes }
    },
    security: [BEARER_SECURITY],
    errors: ['UNAUTHORIZED', 'MEMBER_REQUIRED'],
  }
}

/** For routes that only an owner of the brand may use. */
export function owner(deps: Deps): Guard<MemberCaller> {
  const anyMember = person(deps)
  return {
    ...anyMember,
    async admit(incoming) {
      const caller = await anyMember.admit(incoming)
      if (caller.actor.role !== 'owner') throw roleRequired('owner')
      return caller
    },
    errors: [...anyMember.errors, 'ROLE_REQUIRED'],
  }
}
