/** By the first part of an address in a brand. Another page is of the guide to the console. */
const IN_BRAND: Readonly<Record<string, string>> = {
  compare: 'reading',
  campaigns: 'several-polls',
  codes: 'codes',
  webhooks: 'webhooks#a-message-to-a-chat-without-code',
  profile: 'console#the-brand',
  theme: 'console#the-theme',
  keys: 'console#api-keys',
  people: 'people',
  activity: 'activity',
}

const OUTSIDE: Readonly<Record<string, string | null>> = {
  '': null,
  login: null,
  me: 'people',
  _service: 'watching',
}

/** The guide that belongs to a page of the console; null where nobody is signed in. */
export function guideOf(pathname: string): string | null {
  const [first = '', section = '', item, form] = pathname
    .replace(/^\/console(?=\/|$)/, '')
    .split('/')
    .slice(1)
  const outside = OUTSIDE[first]
  if (outside !== undefined) return outside
  if (section === 'polls' && item) return item === 'new' || form ? 'questions' : 'reading'
  return IN_BRAND[section] ?? 'console'
}
