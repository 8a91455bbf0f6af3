import { z } from 'zod'
import { SCOPES, type Scope } from '../../base/scopes.ts'

const ACCESS_TOKEN = 'tsa_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'
const REFRESH_TOKEN = 'tsr_8sWq2ZkYx0PfLhV5nTgJ3cRb7MdUa9EoKiXw4HlQv1S'

export const exchangeBody = z
  .strictObject({
    externalDeviceId: z
      .string()
      .min(1)
      .max(255)
      .meta({
        description:
          'Whom the tokens are for, in your own words. The same id is the same device, and has one vote a poll.',
        examples: ['customer-4711'],
      }),
    scopes: z
      .array(z.string().max(40))
      .min(1)
      .max(20)
      .optional()
      .meta({
        description: 'What the tokens may do; every scope of the app where this is left out.',
        examples: [['vote']],
      }),
  })
  .meta({ id: 'TokenExchange', description: 'For whom tokens are issued, and what they may do.' })

export const refreshBody = z
  .strictObject({
    refreshToken: z
      .string()
      .min(1)
      .max(512)
      .meta({
        description: 'The refresh token of the last pair. It is used up.',
        examples: [REFRESH_TOKEN],
      }),
  })
  .meta({ id: 'TokenRefresh', description: 'The token to be rotated.' })

export const revokeBody = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(512)
      .meta({
        description: 'An access token or a refresh token. All tokens of its family end.',
        examples: [REFRESH_TOKEN],
      }),
  })
  .meta({ id: 'TokenRevoke', description: 'The token to be revoked.' })

export const tokenPair = z
  .object({
    accessToken: z.string().meta({
      description: 'Goes into the header `Authorization: Bearer …`.',
      examples: [ACCESS_TOKEN],
    }),
    refreshToken: z.string().meta({
      description: 'Gets the next pair, once, at `POST /auth/token/refresh`.',
      examples: [REFRESH_TOKEN],
    }),
    expiresIn: z
      .int()
      .nonnegative()
      .meta({
        description: 'For how many seconds the access token is valid.',
        examples: [900],
      }),
    tokenType: z.literal('Bearer').describe('How the access token is sent.'),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'What the tokens may do.', examples: [['view', 'vote']] }),
  })
  .meta({ id: 'TokenPair', description: 'An access token and the refresh token that gets the next pair.' })

export type TokenPair = z.infer<typeof tokenPair>

export const revoked = z.object({ revoked: z.literal(true).describe('Always true, also for an unknown token.') })

export const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name)

export const scopesOf = (stored: string): Scope[] => stored.split(' ').filter(isScope)

export const storedScopes = (scopes: readonly Scope[]): string => SCOPES.filter((s) => scopes.includes(s)).join(' ')
