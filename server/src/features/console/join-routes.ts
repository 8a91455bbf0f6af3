// features/console: what a person opens in a browser to sign in.

import { z } from 'zod'
import { preferredLang } from '../../http/answers/negotiate.ts'
import { anyone } from '../../http/guard.ts'
import { header } from '../../http/incoming.ts'
import { type Route, route } from '../../http/route.ts'
import { joinPage } from './sign-in-page.ts'

export const joinRoutes = (): Route[] => [
  route({
    method: 'GET',
    path: '/console/join/{token}',
    isOutside: true,
    name: 'getJoinPage',
    tag: 'Pages',
    summary: 'The page of a one-time link',
    description:
      'Opening the page uses nothing up, and it is the same for every link. Its button signs in with `POST /auth/session`.',
    guard: anyone,
    caching: 'none',
    params: z.object({
      token: z.string().meta({
        description: 'The secret of the link.',
        examples: ['tsl_1lVbG4yq0TnJ8Zc3wK5uQe7RsX2aDfHm9PiLoNvYx6E'],
      }),
    }),
    answers: {
      200: {
        description: 'The page.',
        contentType: 'text/html',
        headers: { always: ['Content-Security-Policy', 'Vary'] },
      },
    },
    handle: ({ incoming }) => joinPage(preferredLang(header(incoming, 'accept-language'))),
  }),
]
