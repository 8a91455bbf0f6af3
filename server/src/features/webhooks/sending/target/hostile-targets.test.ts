import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { failureOf } from './exchange.ts'
import { createPost } from './post.ts'
import { isReserved, targetProblem } from './url.ts'

/** Loopback, private networks, the metadata addresses of several clouds, and both ends of every reserved range. */
const RESERVED_V4 = `0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 100.100.100.200 127.0.0.1
  127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.170.2 169.254.255.255 172.16.0.0 172.31.255.255
  192.0.0.0 192.0.0.192 192.0.0.255 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.0 192.168.255.255
  192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.255 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255`.split(/\s+/)

const RESERVED_V6 =
  `:: ::1 ::2 ::ffff:0:0 fe80::1 febf::1 fec0::1 fc00::1 fd00:ec2::254 fd20:ce::254 fdff::1 ff02::1 ff0e::1
  100::1 100:0:0:1::1 64:ff9b::808:808 64:ff9b:1::1 64:ff9b::a9fe:a9fe 2001::1 2001:0:808:808:: 2001:2::1 2001:10::1
  2001:20::1 2001:1ff:ffff::1 2001:db8::1 2002:808:808::1 2002:7f00:1::1 2002:a9fe:a9fe::1 3fff::1 3fff:fff::1
  2620:4f:8000::1 4000::1 5f00::1 8000::1 ::ffff:0:808:808 ::808:808`.split(/\s+/)

const PUBLIC =
  `1.0.0.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
  168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0
  198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255 2000::1 2001:200::1 2001:4860:4860::8888
  2003::1 2606:4700:4700::1111 2620:4f:7fff::1 2a00::1 3ffe:ffff::1`.split(/\s+/)

const bytesOf = (address: string): number[] => address.split('.').map(Number)
const numberOf = (address: string): number => bytesOf(address).reduce((sum, byte) => sum * 256 + byte, 0)
const octal = (value: number): string => `0${value.toString(8)}`
const hex = (value: number): string => `0x${value.toString(16)}`
const inFullWidth = (text: string): string =>
  [...text].map((digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + 0xfee0)).join('')

/** Every spelling of an IPv4 address that some parser accepts, alone or inside an IPv6 address. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address)
  const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  const inverted = `${(((a << 8) | b) ^ 0xffff).toString(16)}:${(((c << 8) | d) ^ 0xffff).toString(16)}`
  return [
    address,
    `${address}.`,
    String(numberOf(address)),
    hex(numberOf(address)),
    octal(numberOf(address)),
    bytesOf(address).map(octal).join('.'),
    bytesOf(address).map(hex).join('.'),
    `${a}.${numberOf(address) % 2 ** 24}`,
    `${a}.${b}.${numberOf(address) % 2 ** 16}`,
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `000${octal(a)}.${b}.${c}.${d}`,
    [...address].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
    inFullWidth(address),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '｡'),
    `[::ffff:${address}]`,
    `[::FFFF:${groups}]`,
    `[0:0:0:0:0:ffff:${groups}]`,
    `[::${groups}]`,
    `[::ffff:0:${groups}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${groups}]`,
    `[2002:${groups}::1]`,
    `[2001:0:0:0:0:0:${inverted}]`,
  ]
}

const LOCAL_NAMES = `localhost LOCALHOST localhost. localhost.. a.localhost x.y.localhost a.localhost. %6cocalhost
  ｌｏｃａｌｈｏｓｔ ⓛocalhost localhost。 loca\u200blhost loca\u00adlhost`.split(/\s+/)

const BROKEN =
  `127.0.0.1\\@hooks.example @127.0.0.1 user@hooks.example user:pass@hooks.example :@hooks.example @hooks.example
  hooks.example@127.0.0.1 127.0.0.1#@hooks.example 127.0.0.1?@hooks.example 127.0.0.1/@hooks.example [fe80::1%eth0]
  [fe80::1%25eth0] [::1%lo] [::1 ::1] [] [::1]. 1.2.3.4.5 256.1.1.1 4294967296 0x1ffffffff 09.1.1.1 .127.0.0.1 127.0.0.1..
  127..0.0.1 a..example .example hooks.example.. ${'a'.repeat(64)}.example ${'a.'.repeat(130)}example hooks.example:0
  hooks.example:22 hooks.example:80 hooks.example:8080 hooks.example:65536 hooks.example:-1 hooks.example:443:443`.split(
    /\s+/,
  )

const SCHEMES = [
  'http://hooks.example/',
  'HTTP://hooks.example/',
  'ftp://hooks.example/',
  'file:///etc/passwd',
  'gopher://hooks.example/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'ws://hooks.example/',
  'unix:/var/run/docker.sock',
  '//hooks.example/',
  'hooks.example',
  'https:hooks.example',
  'https:/hooks.example',
  'https:\\\\hooks.example',
  'https:///127.0.0.1',
  'https://',
  'https://?',
  '',
  ' https://hooks.example/',
  'https://hooks.example/ ',
  'https://hooks.example/a b',
  'https://hooks.example/\n',
  'ht\ntps://hooks.example/',
  'https://hooks\t.example/',
  'https://hooks.example\r\nHost: evil/',
  'https://hooks.example/\u0000',
  'https://127.0.0.1 .hooks.example/',
]

const PORT_RULES = { isPrivateWebhookAllowed: false, webhookPorts: [443, 8443] }
const reservedSpellings = RESERVED_V4.flatMap(spellings)
const hostileUrls = [
  ...[...reservedSpellings, ...RESERVED_V6.map((address) => `[${address}]`), ...LOCAL_NAMES, ...BROKEN].map(
    (host) => `https://${host}/`,
  ),
  ...SCHEMES,
]

describe('an address', () => {
  test.each([...RESERVED_V4, ...RESERVED_V6])('%s is reserved', (address) => {
    expect(isReserved(address)).toBe(true)
  })

  test.each(PUBLIC)('%s is public', (address) => {
    expect(isReserved(address)).toBe(false)
  })

  test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '8.8.8', '2001:4860::8888%eth0', '[::1]', '8.8.8.8/32', 'x'])(
    '%p is not an address, and is not connected to',
    (text) => {
      expect(isReserved(text)).toBe(true)
    },
  )
})

describe('a url', () => {
  test(`is refused by its text, in ${hostileUrls.length} hostile forms`, () => {
    expect(hostileUrls.length).toBeGreaterThan(800)
    expect(hostileUrls.filter((url) => targetProblem(url, PORT_RULES) === null)).toEqual([])
  })

  test('is accepted where it is harmless', () => {
    const harmless = [
      'https://hooks.example',
      'https://hooks.example/',
      'HTTPS://Hooks.Example/path?query=1#fragment',
      'https://hooks.example:443/',
      'https://hooks.example:8443/',
      'https://hooks.example./',
      'https://localhost.example/',
      'https://mylocalhost/',
      'https://bücher.example/ü',
      'https://hooks.example/a@b',
      'https://hooks.example/?to=me@example',
      ...PUBLIC.map((address) => `https://${isIP(address) === 6 ? `[${address}]` : address}/`),
    ]
    for (const url of harmless) expect({ url, problem: targetProblem(url, PORT_RULES) }).toEqual({ url, problem: null })
  })

  test('may be private, plain http and on any port if the operator allows it, but never with a user name', () => {
    const rules = { ...PORT_RULES, isPrivateWebhookAllowed: true }
    for (const url of ['http://127.0.0.1:3001/x', 'http://localhost', 'https://[::1]:99/', 'https://10.0.0.1/']) {
      expect(targetProblem(url, rules)).toBeNull()
    }
    for (const url of ['ftp://127.0.0.1/', 'http://user@localhost', 'http:\\\\localhost', 'http://a..b', '']) {
      expect(targetProblem(url, rules)).not.toBeNull()
    }
  })
})

/** Listens on every non-public address of this machine, which is where an attacker would want us to connect. */
describe('a call', () => {
  const canaries: { stop(force: boolean): void }[] = []
  const reached: string[] = []
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const local = own.filter(({ address, scopeid }) => !scopeid && isReserved(address)).map(({ address }) => address)
  let port: number

  beforeAll(() => {
    const listen = (hostname: string, on: number) => {
      const canary = Bun.listen({
        hostname,
        port: on,
        socket: { open: () => void reached.push(hostname), data() {}, error() {} },
      })
      canaries.push(canary)
      return canary.port
    }
    port = listen('127.0.0.1', 0)
    for (const address of local.filter((each) => each !== '127.0.0.1')) listen(address, port)
  })
  afterAll(() => {
    for (const canary of canaries) canary.stop(true)
  })

  const rules = () => ({ isPrivateWebhookAllowed: false, webhookPorts: [443, 8443, port] })

  async function call(url: string, addresses: readonly LookupAddress[]): Promise<string> {
    const post = createPost({ rules: rules(), timeoutMs: 500, resolve: async () => addresses })
    try {
      return String(
        (await post({ brandKey: 1, url, headers: {}, body: '{}', signal: new AbortController().signal })).status,
      )
    } catch (error) {
      return failureOf(error)
    }
  }

  const answer = (...addresses: string[]) => addresses.map((address) => ({ address, family: isIP(address) }))

  test('reaches the canary servers when private addresses are allowed', async () => {
    const post = createPost({ rules: { ...rules(), isPrivateWebhookAllowed: true }, timeoutMs: 200 })
    for (const address of local) {
      const url = `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}/`
      const failed = post({ brandKey: 1, url, headers: {}, body: '{}', signal: new AbortController().signal }).catch(
        failureOf,
      )
      expect(await failed).toBe('timeout')
    }
    expect(reached.splice(0).sort()).toEqual([...local].sort())
    expect(local).toContain('127.0.0.1')
  })

  test('to a hostile url fails before it connects, for each address that its name can resolve to', async () => {
    const hosts = [...spellings('127.0.0.1'), ...local.map((each) => (isIP(each) === 6 ? `[${each}]` : each))]
    const urls = [...hosts, ...LOCAL_NAMES].map((host) => `https://${host}:${port}/`)
    for (const url of [...urls, ...hostileUrls]) {
      expect({ url, outcome: await call(url, answer('127.0.0.1')) }).toEqual({ url, outcome: 'address_refused' })
    }
    expect(reached).toEqual([])
  })

  test('to a harmless name that resolves to a reserved address, alone or among public ones, does not connect', async () => {
    const hostile = [...new Set([...RESERVED_V4, ...RESERVED_V6, ...local])]
    const answers = [
      ...hostile.map((address) => answer(address)),
      ...hostile.map((address) => answer('8.8.8.8', address)),
      ...hostile.map((address) => answer(address, '2001:4860:4860::8888')),
      ...hostile.map((address) => answer('8.8.8.8', '1.1.1.1', address, '9.9.9.9')),
      // A resolver that reports the wrong address family.
      ...hostile.map((address) => [{ address, family: isIP(address) === 4 ? 6 : 4 }]),
    ]
    expect(answers.length).toBeGreaterThan(200)
    const outcomes = await Promise.all(answers.map((addresses) => call(`https://rebind.example:${port}/`, addresses)))
    expect(outcomes).toEqual(answers.map(() => 'address_refused'))
    expect(reached).toEqual([])
  })

  test('to a name that resolves to something else than an address does not connect', async () => {
    for (const address of ['localhost', '127.1', '0x7f000001', '2130706433', '::1%lo', '[::1]', '', '127.0.0.1 ']) {
      const outcome = await call(`https://rebind.example:${port}/`, [{ address, family: 4 }])
      expect(outcome).toBe('address_refused')
    }
    expect(reached).toEqual([])
  })

  test('resolves the name once, so that a second lookup cannot differ', async () => {
    let asked = 0
    const post = createPost({
      rules: rules(),
      timeoutMs: 500,
      async resolve() {
        asked++
        return answer(asked === 1 ? '10.255.255.1' : '127.0.0.1')
      },
    })
    const url = `https://rebind.example:${port}/`
    const failed = post({ brandKey: 1, url, headers: {}, body: '{}', signal: new AbortController().signal }).catch(
      failureOf,
    )
    expect([await failed, asked, reached]).toEqual(['address_refused', 1, []])
  })
})
