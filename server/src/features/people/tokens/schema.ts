import { z } from 'zod'
import { count } from '../../../base/fields.ts'
import { isDeviceId, isUuid } from '../../../base/ids.ts'
import { SCOPES, type Scope } from '../../../base/roles.ts'

const ACCESS_TOKEN = 'tsa_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'
const REFRESH_TOKEN = 'tsr_8sWq2ZkYx0PfLhV5nTgJ3cRb7MdUa9EoKiXw4HlQv1S'

export const exchangeBody = z
  .strictObject({
    externalDeviceId: z
      .string()
      .min(1)
      .max(255)
      .refine((id) => !isUuid(id) || isDeviceId(id), 'A UUID must be that of the device: not nil, not max.')
      .meta({
        description: 'Your own id of the device that the tokens are for. One id is one device, with one vote per poll.',
        examples: ['customer-4711'],
      }),
    scopes: z
      .array(z.string().max(40))
      .min(1)
      .max(20)
      .optional()
      .meta({
        description: 'The scopes of the tokens. Default: every scope of the app.',
        examples: [['vote']],
      }),
  })
  .meta({ id: 'TokenExchange', description: 'The device that the tokens are issued for, and their scopes.' })

export const refreshBody = z
  .strictObject({
    refreshToken: z
      .string()
      .min(1)
      .max(512)
      .meta({
        description: 'The refresh token of the last pair. It works once.',
        examples: [REFRESH_TOKEN],
      }),
  })
  .meta({ id: 'TokenRefresh', description: 'The token to rotate.' })

export const revokeBody = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(512)
      .meta({
        description: 'An access token or a refresh token. All tokens of its family are revoked.',
        examples: [REFRESH_TOKEN],
      }),
  })
  .meta({ id: 'TokenRevoke', description: 'The token to revoke.' })

export const tokenPair = z
  .object({
    accessToken: z.string().meta({
      description: 'Send it in the header `Authorization: Bearer …`.',
      examples: [ACCESS_TOKEN],
    }),
    refreshToken: z.string().meta({
      description: 'Exchange it once, at `POST /auth/token/refresh`, for the next pair.',
      examples: [REFRESH_TOKEN],
    }),
    expiresIn: count.meta({
      description: 'The lifetime of the access token in seconds.',
      examples: [900],
    }),
    tokenType: z.literal('Bearer').describe('Always `Bearer`.'),
    scopes: z.array(z.enum(SCOPES)).meta({ description: 'The scopes of the tokens.', examples: [['view', 'vote']] }),
  })
  .meta({ id: 'TokenPair', description: 'An access token, and the refresh token to get the next pair.' })

export type TokenPair = z.infer<typeof tokenPair>

export const revoked = z.object({ revoked: z.literal(true).describe('Always true, even for an unknown token.') })

export const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name)

export const scopesOf = (stored: string): Scope[] => stored.split(' ').filter(isScope)

export const storedScopes = (scopes: readonly Scope[]): string => SCOPES.filter((s) => scopes.includes(s)).join(' ')
