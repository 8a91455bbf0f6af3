import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createElement, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { startTestService, type TestBrand, type TestService } from '../../server/test/service.ts'
import { memoryStore, Tossup, Visitor } from '../src/index.ts'
import { Campaign, Poll, TossupProvider } from '../src/react/index.ts'

let service: TestService
let brand: TestBrand
let visitor: Visitor

beforeAll(async () => {
  service = await startTestService('sqlite')
  brand = await service.createBrand()
  visitor = new Visitor({ url: service.service.url, storage: memoryStore() })
})

afterAll(() => service.stop())

const rendered = (node: ReactNode) => renderToString(createElement(TossupProvider, { visitor }, node))

test('a poll that a server has read is whole before any script runs', async () => {
  const made = await service.createPoll(brand, { title: 'Tea & <b>coffee</b>?' })
  const poll = await visitor.getPoll(made.slug)
  const html = rendered(createElement(Poll, { poll: poll.shortId, initialPoll: poll, accent: '#ff0000', lang: 'en' }))
  expect(html).toContain('Tea &amp; &lt;b&gt;coffee&lt;/b&gt;?')
  expect(html.match(/<button type="button"/g)).toHaveLength(2)
  expect(html).toContain('data-option="A"')
  expect(html).toContain('--tossup-accent:#ff0000')
  expect(html).toContain('data-state="open"')
  expect(html).toContain('No votes yet')
  expect(html).toContain(`Brand ${brand.slug}`)
  const bare = rendered(
    createElement(Poll, { poll: poll.shortId, initialPoll: poll, hideTitle: true, hideBrand: true }),
  )
  expect(bare).not.toContain('class="brand"')
  expect(bare).toContain('title out-of-sight')
})

test('a closed poll shows its counts and takes no vote; one that is hidden shows none', async () => {
  const open = await service.createPoll(brand)
  await service.vote(open.slug, 'A')
  await service.vote(open.slug, 'A')
  await service.vote(open.slug, 'B')
  const poll = { ...(await visitor.getPoll(open.slug)), status: 'closed' as const }
  const html = rendered(createElement(Poll, { poll: poll.slug, initialPoll: poll }))
  expect(html).toContain('67%')
  expect(html).toContain('33%')
  expect(html).toContain('Closed · 3 votes')
  expect(html.match(/aria-disabled="true"/g)).toHaveLength(2)
  const hidden = { ...poll, tallies: { optionA: 0, optionB: 0, total: 0, hidden: true as const } }
  const blank = rendered(createElement(Poll, { poll: poll.slug, initialPoll: hidden }))
  expect(blank).toContain('Results are not shown')
  expect(blank).not.toContain('%</span>')
})

test('a campaign begins with its first poll', async () => {
  const auth = { apiKeyId: brand.apiKeyId, apiKeySecret: brand.apiKeySecret, externalDeviceId: 'me' }
  const polls = [
    await service.createPoll(brand, { title: 'First' }),
    await service.createPoll(brand, { title: 'Second' }),
  ]
  const { campaignId } = await new Tossup({ url: service.service.url, auth }).createCampaign({
    title: 'Both',
    polstIds: polls.map(({ id }) => id),
  })
  const initialCampaign = await visitor.getCampaign(campaignId)
  const html = rendered(createElement(Campaign, { campaign: campaignId, initialCampaign }))
  expect(html).toContain('First')
  expect(html).not.toContain('Second')
  expect(html).toContain('1 of 2')
})

test('what is not there yet says so, and so does a poll without a provider', () => {
  expect(rendered(createElement(Poll, { poll: 'x' }))).toContain('aria-busy="true"')
  expect(rendered(createElement(Campaign, { campaign: 'x' }))).toContain('Loading')
  expect(() => renderToString(createElement(Poll, { poll: 'x' }))).toThrow('TossupProvider')
})
