import type { z } from 'zod'
import { orNotFound } from '../../base/errors.ts'
import { brandParams } from '../../events/resources/brand.ts'
import { campaignParams } from '../../events/resources/campaign.ts'
import { pollParams } from '../../events/resources/poll.ts'
import type { Reply } from '../../http/answers/reply.ts'
import type { Incoming } from '../../http/incoming.ts'
import { type AnswerDoc, outside, type Route, route } from '../../http/route.ts'
import type { FindSubjects, Found } from './find-subjects.ts'

interface FileRequest<Query> {
  readonly incoming: Incoming
  readonly query: Query
  readonly now: number
}

interface FileOfPage<Query extends z.ZodObject> {
  /** The file's name below the page's address. */
  readonly file: string
  /** The word in route names. */
  readonly name: string
  readonly query: Query
  readonly answer: AnswerDoc
  reply(found: Found, asked: FileRequest<z.output<Query>>): Reply | Promise<Reply>
}

/** Makes routes for one file beside the page of each poll, campaign and brand. */
export function routesBesidePages<Query extends z.ZodObject>(find: FindSubjects, its: FileOfPage<Query>): Route[] {
  const { file, name, query, answer } = its
  const errors = ['NOT_FOUND'] as const
  const common = { ...outside, query, answers: { 200: answer }, errors } as const

  async function replyTo(looking: Promise<Found | null>, asked: FileRequest<z.output<Query>>): Promise<Reply> {
    const found = orNotFound(await looking)
    return its.reply(found, asked)
  }

  return [
    route({
      ...common,
      path: `/p/{slug}/${file}`,
      name: `getPoll${name}`,
      params: pollParams,
      handle: ({ params, ...asked }) => replyTo(find.poll(params.slug, asked.now), asked),
    }),
    route({
      ...common,
      path: `/c/{campaignId}/${file}`,
      name: `getCampaign${name}`,
      params: campaignParams,
      handle: ({ params, ...asked }) => replyTo(find.campaign(params.campaignId, asked.now), asked),
    }),
    route({
      ...common,
      path: `/b/{brandSlug}/${file}`,
      name: `getBrand${name}`,
      params: brandParams,
      handle: ({ params, ...asked }) => replyTo(find.feed(params.brandSlug, asked.now), asked),
    }),
  ]
}
