import { expect, test } from 'bun:test'
import { freePort } from './free-port.ts'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to theming works as pasted',
  async () => {
    // A stylesheet URL contains the configured port, so it must be a real one.
    const answers = await followGuide('theming.md', { PORT: String(freePort()) })
    const [set, read, styled, ...rest] = answers
    expect(JSON.parse(set ?? '').data).toMatchObject({
      accent: '#c2410c',
      fontStack: 'SERIF',
      radius: 'LG',
      version: 1,
    })
    expect(JSON.parse(read ?? '').data).toMatchObject({ background: '#fff7ed', version: 1, customCssUrl: null })
    expect(JSON.parse(styled ?? '').data.customCss).toStartWith(':root { --brand: #c2410c }')
    expect(rest.splice(-3)).toEqual(['Lisbon', 'MD', 'null'])
    expect(rest.slice(0, -1).join('\n')).toContain('.tossup .option{border:2px solid var(--brand);')
    const { fields } = JSON.parse(rest.at(-1) ?? '').error.details
    expect(fields.map(({ code, line }: { code: string; line: number }) => `${code} ${line}`)).toEqual([
      'css_property 1',
      'css_value 1',
    ])
  },
  60_000,
)
