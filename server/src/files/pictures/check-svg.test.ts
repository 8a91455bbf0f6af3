import { describe, expect, test } from 'bun:test'
import { checkSvg } from './check-svg.ts'

const SVG = 'xmlns="http://www.w3.org/2000/svg"'
const check = (text: string) => checkSvg(Buffer.from(text))
const outcome = (text: string): string => {
  try {
    check(text)
    return 'stored'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('an SVG', () => {
  test.each([
    `\ufeff<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- a --><svg ${SVG}/>\n<!-- b -->`,
    '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:g></s:g ></s:svg>',
    `<svg ${SVG} width='9' ><style><![CDATA[a > b & c {}]]></style><text>&lt;&#233;&#xE9;</text></svg>`,
    `<svg ${SVG}><g id="a"><path d=""/></g>${'<use href="#a"/>'.repeat(1_000)}</svg>`,
  ])('%s is stored', (text) => {
    expect(outcome(text)).toBe('stored')
  })

  test.each([
    [`<!-- <svg ${SVG}/> -->`, 'unsafe_svg'],
    [`<g ${SVG}><svg ${SVG}/></g>`, 'wrong_type'],
    ['<s:svg xmlns="http://www.w3.org/2000/svg"/>', 'wrong_type'],
    [`x<svg ${SVG}/>`, 'unsafe_svg'],
    [` <?xml version="1.0"?><svg ${SVG}/>`, 'unsafe_svg'],
    [`<?xml version="1.0" encoding="iso-8859-1"?><svg ${SVG}/>`, 'unsafe_svg'],
    [`<svg ${SVG}>${' '.repeat(2 * 1024 ** 2)}</svg>`, 'unsafe_svg'],
  ])('%#: another root or something broken is refused', (text, code) => {
    expect(outcome(text)).toBe(code)
  })

  test.each([
    ['width="40" height="30px" viewBox="0 0 1 1"', 40, 30],
    ['viewBox="0 0 24 12.4"', 24, 12],
    ['width="100%" viewBox="0,0,24,12"', 24, 12],
    ['', 300, 150],
    ['width="-5" height="0"', 300, 150],
    ['width="1000000000" height="1"', 1_000_000, 1],
  ])('with %j has its size', (attributes, width, height) => {
    expect(check(`<svg ${SVG} ${attributes}/>`)).toEqual({ width, height })
  })
})
