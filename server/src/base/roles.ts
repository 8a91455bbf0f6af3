/** The permissions of a token. An app has some of them, and each of its tokens has a subset of the app's. */
export const SCOPES = ['view', 'vote', 'manage', 'analytics'] as const

export type Scope = (typeof SCOPES)[number]

/** Roles of a person in a brand. */
export const ROLES = ['owner', 'editor', 'analyst'] as const

export type Role = (typeof ROLES)[number]

/** A person with this role looks after the whole service. It gives no access to a brand. */
export const OPERATOR = 'operator'

/** The scopes of a person's access token. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  owner: ['view', 'vote', 'manage', 'analytics'],
  editor: ['view', 'vote', 'manage', 'analytics'],
  analyst: ['view', 'analytics'],
}
