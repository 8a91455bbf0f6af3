export interface S3Place {
  readonly endpoint: string
  readonly isVirtualHosted: boolean
  readonly region: string
  readonly bucket: string
  /** The prefix of every key: empty, or ending in a slash. */
  readonly folder: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const FORM = 's3://KEY:SECRET@host/bucket?region=REGION'
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/
const FOLDER = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/
const REGION = /^[a-z0-9-]{1,40}$/

/** The parsed URL, or a description of its problem, which never quotes the URL: the URL contains a secret. */
export function readS3Url(text: string): S3Place | string {
  if (!/^s3(\+http)?:\/\//.test(text) || !URL.canParse(text)) {
    return `must have the form ${FORM}, with a / in the secret written as %2F`
  }
  const url = new URL(text)
  const accessKeyId = decoded(url.username)
  const secretAccessKey = decoded(url.password)
  if (!accessKeyId || !secretAccessKey) return `must hold a key and a secret: ${FORM}`
  const [bucket = '', ...folders] = url.pathname.split('/').slice(1)
  if (url.hostname === '' || !BUCKET.test(bucket)) return `must name a host and a bucket: ${FORM}`
  const folder = folders.map((name) => `${name}/`).join('')
  if (!FOLDER.test(folder)) return 'must name a folder, if any, of letters, digits, dots, hyphens and underscores'
  const { region = 'us-east-1', style = 'path', ...unknown } = Object.fromEntries(url.searchParams)
  if (!REGION.test(region)) return 'must name a region of lower-case letters, digits and hyphens'
  if (style !== 'path' && style !== 'virtual') return 'takes style=path or style=virtual'
  if (Object.keys(unknown).length > 0 || url.hash !== '') return 'takes no other parameters than region and style'
  const isVirtualHosted = style === 'virtual'
  const scheme = url.protocol === 's3:' ? 'https' : 'http'
  const endpoint = `${scheme}://${isVirtualHosted ? `${bucket}.` : ''}${url.host}`
  return { endpoint, isVirtualHosted, region, bucket, folder, accessKeyId, secretAccessKey }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
