import { z } from 'zod'
import { SCOPES, type Scope } from '../../base/scopes.ts'

export const exchangeBody = z.strictObject({
  externalDeviceId: z.string().min(1).max(255),
  scopes: z.array(z.string().max(40)).min(1).max(20).optional(),
})

export const refreshBody = z.strictObject({ refreshToken: z.string().min(1).max(512) })

export const revokeBody = z.strictObject({ token: z.string().min(1).max(512) })

export const tokenPair = z
  .strictObject({
    accessToken: z.string(),
    refreshToken: z.string(),
    expiresIn: z.int().nonnegative(),
    tokenType: z.literal('Bearer'),
    scopes: z.array(z.enum(SCOPES)),
  })
  .meta({ id: 'TokenPair' })

export type TokenPair = z.infer<typeof tokenPair>

export const revoked = z.strictObject({ revoked: z.literal(true) })

export const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name)

export const scopesOf = (stored: string): Scope[] => stored.split(' ').filter(isScope)

export const storedScopes = (scopes: readonly Scope[]): string => SCOPES.filter((s) => scopes.includes(s)).join(' ')
