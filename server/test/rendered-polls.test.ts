import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PollView, ThemeView } from '../../embed/src/poll-view.ts'
import { renderPoll } from '../../embed/src/render/render-poll.ts'
import { themeStyles } from '../../embed/src/theme/theme-styles.ts'
import type { OwnedPoll, PollListItem, PublicPoll } from '../src/events/resources/poll.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { engines } from './engines.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

/** Fails to compile if the API's poll does not match the type that is rendered. */
const shown = (poll: PublicPoll | OwnedPoll | PollListItem): { poll: PollView; theme: ThemeView } => {
  if (!poll.brand) throw new Error('a poll without a brand')
  return { poll, theme: poll.brand.theme }
}

describe.each([...engines])('%s: what the interface gives', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  async function pictureUrl(slot: 'optionA' | 'optionB'): Promise<string> {
    const picture = { slot, contentType: 'image/webp', bytes: new Uint8Array([1]), width: 640, height: 640 } as const
    const key = await keepFile(service.db, service.deps, { brandKey: brand.brandKey, ...picture })
    return `${service.deps.config.publicUrl}/files/${key}`
  }

  test('can be rendered: the single poll, a poll of a list, and the owner’s view', async () => {
    const [a, b] = [await pictureUrl('optionA'), await pictureUrl('optionB')]
    const made = await service.createPoll(brand, {
      title: 'Tea & <coffee>?',
      optionA: { label: '"Tea"', imageUrl: a, imageAlt: 'A cup' },
      optionB: { label: 'Coffee', imageUrl: b },
    })
    const json = { radius: 'FULL', labelPlacement: 'OVERLAY', accent: '#c2410c', background: '#fff7ed' }
    await service.write('PATCH', 'brands/me/theme', { token: brand.token, json })
    await service.vote(made.slug, 'A')
    const single = (await service.get<PublicPoll>(`polls/${made.slug}`)).body.data
    const listed = (await service.get<PollListItem[]>(`brands/${brand.slug}/polls`)).body.data[0]
    const owned = (await service.get<OwnedPoll>(`brands/me/polls/${made.slug}`, { token: brand.token })).body.data
    if (!listed) throw new Error('the poll is in no list')
    const markups = [single, listed, owned].map((each) => {
      const { poll, theme } = shown(each)
      return renderPoll(poll, theme, { vote: 'A' })
    })
    expect(new Set(markups).size).toBe(1)
    const [markup = ''] = markups
    expect(markup).toContain('data-radius="full"')
    expect(markup).toContain('>Tea &amp; &lt;coffee&gt;?</span></h2>')
    expect(markup).toContain('<span class="words" dir="auto">&quot;Tea&quot;</span>')
    expect(markup).toMatch(new RegExp(`<img class="picture" [^>]*src="${a}"[^>]* alt="A cup"`))
    expect(markup).toContain('<span class="figure">100%</span>')
    expect(themeStyles(shown(single).theme)).toContain('--tossup-card:light-dark(#fff7ed,')
  })
})
