// features/operator: the state of the whole service, for a person with the role of operator.
// It only reads, and shows of brands no more than their names and volumes.

import { z } from 'zod'
import { type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { MAY_PROLONG } from '../people/sessions/session-routes.ts'
import { operator } from '../people/sessions/sessions.ts'
import { brandsPage } from './queries.ts'
import { presentBrand, presentState, servedBrand, servedBrandsQuery, serviceAnswer } from './schema.ts'
import { type ServiceParts, serviceState } from './service-state.ts'

export const operatorRoutes = (deps: Deps, parts: ServiceParts): Route[] => [
  route({
    method: 'GET',
    path: '/service',
    name: 'getService',
    tag: 'Service',
    summary: 'The state of the service, for its operator',
    description:
      'For pages of the service: it needs the session of a person with the role `operator`, which `tossup member operator` gives. Health, versions, queues, audit, backups and disk of the server that answers, and what to look at.',
    guard: operator(deps),
    caching: 'private',
    answers: { 200: { description: 'The state of now.', headers: MAY_PROLONG, schema: serviceAnswer } },
    handle: async ({ now }) => ({ data: presentState(await serviceState(deps, parts, now)) }),
  }),

  route({
    method: 'GET',
    path: '/service/brands',
    name: 'listServedBrands',
    tag: 'Service',
    summary: 'Every brand with its volumes, newest first',
    description:
      'For pages of the service, in the session of a person with the role `operator`: the name of each brand, and how many polls and votes it has. Nothing else of a brand can be read with this role.',
    guard: operator(deps),
    caching: 'private',
    query: servedBrandsQuery,
    isPaged: true,
    answers: { 200: { description: 'A page of brands.', headers: MAY_PROLONG, schema: z.array(servedBrand) } },
    async handle({ query, paging, now }) {
      const { rows, next } = await brandsPage(deps.engine.db, { words: query.q ?? null, now }, paging)
      return { data: rows.map(presentBrand), next }
    },
  }),
]
