import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createElement, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { startTestService, type TestService } from '../../server/test/service.ts'
import { memoryStore, Visitor } from '../src/index.ts'
import { Campaign, Poll, TossupProvider } from '../src/react/index.ts'

let service: TestService
let visitor: Visitor

beforeAll(async () => {
  service = await startTestService('sqlite')
  visitor = new Visitor({ url: service.service.url, storage: memoryStore() })
})

afterAll(() => service.stop())

const rendered = (node: ReactNode) => renderToString(createElement(TossupProvider, { visitor }, node))

test('on a server a poll renders an element with its attributes, and nothing else', () => {
  const looks = { theme: 'dark', accent: '#ff0000', hideTitle: true, hideBrand: false, lang: 'ar' } as const
  const [head] = rendered(createElement(Poll, { poll: 'tea-or-coffee', className: 'wide', ...looks })).split('>')
  expect(head).toBe(
    '<tossup-poll poll="tea-or-coffee" theme="dark" accent="#ff0000" hidetitle="" lang="ar" class="wide"',
  )
  expect(rendered(createElement(Campaign, { campaign: 'x', autoAdvance: false }))).toStartWith(
    '<tossup-campaign campaign="x" autoadvance="false">',
  )
  expect(rendered(createElement(Campaign, { campaign: 'x' }))).toStartWith('<tossup-campaign campaign="x">')
})

test('data from the server is passed to the element, escaped', async () => {
  const title = '</script><script>alert(1)</script> & "more"'
  const { slug } = await service.createPoll(await service.createBrand(), { title })
  const initialPoll = await visitor.getPoll(slug)
  const html = rendered(createElement(Poll, { poll: slug, initialPoll }))
  const [, json = ''] = html.match(/<script type="application\/json">(.*?)<\/script>/) ?? []
  expect(JSON.parse(json)).toEqual(initialPoll)
  expect(html.match(/<\/?script/g)).toHaveLength(2)
  const link = `<noscript><a href="${visitor.url}/p/${slug}">&#60;/script&#62;&#60;script&#62;alert(1)&#60;/script&#62; &#38; &#34;more&#34;</a></noscript>`
  expect(html).toContain(link)
  const odd = rendered(createElement(Poll, { poll: '"><b>' }))
  expect(odd).toContain('poll="&quot;&gt;&lt;b&gt;"')
  expect(odd).toContain(`<a href="${visitor.url}/p/%22%3E%3Cb%3E">${visitor.url}/p/%22%3E%3Cb%3E</a>`)
})

test('a provider takes the url of the service, as server components need it', () => {
  const html = renderToString(createElement(TossupProvider, { url: visitor.url }, createElement(Poll, { poll: 'x' })))
  expect(html).toContain(`<a href="${visitor.url}/p/x">`)
})

test('a poll without a provider throws an error that names the provider', () => {
  expect(() => renderToString(createElement(Poll, { poll: 'x' }))).toThrow('TossupProvider')
})
