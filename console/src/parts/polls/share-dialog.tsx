import { Alert, Anchor, Button, Group, Modal, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled } from '../../words/words.ts'
import { CopyField } from '../copy-field.tsx'
import { saveFile } from '../lists/download.ts'
import { toastFailure } from '../messages/toasts.tsx'
import { FRAME_HEIGHTS } from './frame-heights.ts'
import { SourceField } from './source-field.tsx'

export interface Shared {
  readonly url: string
  readonly script: string
  readonly frame: string
  readonly react: string
  readonly rest: string
}

interface ShareProps {
  /** The path of the page in the service; its QR code is below this path. */
  readonly path: string
  readonly fileName: string
  /** The links and snippets of the place where they will stand. */
  readonly sharedAt: (source: string | null) => Shared
  readonly texts: {
    readonly title: string
    readonly script: string
    readonly rest: string
    /** About the link. */
    readonly note?: string
    /** Why it cannot be shared. */
    readonly refusal: string | null
  }
  /** Other ways to show it, below the link, and for the place with this source. */
  readonly children?: ReactNode | ((source: string | null) => ReactNode)
  readonly isOpen: boolean
  readonly onClose: () => void
}

const PNG_SIDE = 1024

/** Text that stands in an attribute of a snippet. */
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter] ?? letter)

/** The forms of a source in an address, an element and a component. */
export const sourcedBy = (source: string | null) =>
  source === null ? { query: '', attribute: '' } : { query: `?source=${source}`, attribute: ` source="${source}"` }

export const scriptSnippet = (origin: string, element: string): string =>
  `<script type="module" src="${origin}/embed.js"></script>\n${element}`

interface Framed {
  readonly url: string
  readonly title: string
  readonly holds: keyof typeof FRAME_HEIGHTS
}

/** The width matches `FRAME_HEIGHTS`, for pages without the script that sets the height. */
export const frameSnippet = ({ url, title, holds }: Framed): string =>
  `<iframe src="${url}" title="${escaped(title)}" width="400" height="${FRAME_HEIGHTS[holds]}" style="border:0;max-width:100%" allow="web-share; clipboard-write"></iframe>`

export const reactSnippet = (
  origin: string,
  name: string,
  element: string,
): string => `import { Visitor } from '@tossup/sdk/visitor'
import { ${name}, TossupProvider } from '@tossup/sdk/react'

const visitor = new Visitor({ url: '${origin}' })

<TossupProvider visitor={visitor}>${element}</TossupProvider>`

async function savePng(svg: string, name: string): Promise<void> {
  const picture = new Image(PNG_SIDE, PNG_SIDE)
  picture.src = svg
  await picture.decode()
  const canvas = document.createElement('canvas')
  canvas.width = PNG_SIDE
  canvas.height = PNG_SIDE
  canvas.getContext('2d')?.drawImage(picture, 0, 0, PNG_SIDE, PNG_SIDE)
  canvas.toBlob((blob) => blob && saveFile(blob, name), 'image/png')
}

/** How a poll or a campaign reaches people. */
export function ShareDialog({ path, fileName, sharedAt, texts, children, isOpen, onClose }: ShareProps) {
  const { sharing: share } = resultWords()
  const { mayEdit } = useBrand()
  const [source, setSource] = useState<string | null>(null)
  const shared = sharedAt(source)
  const { url } = shared
  const sourced = source === null ? '' : `&source=${source}`
  const qr = `${path}/qr.svg?size=${PNG_SIDE}${sourced}`
  const file = source === null ? fileName : `${fileName}-${source}`
  return (
    <Modal opened={isOpen} onClose={onClose} title={texts.title} size="lg">
      {texts.refusal !== null ? (
        <Alert color="yellow">{texts.refusal}</Alert>
      ) : (
        <Stack gap="lg">
          {mayEdit && <SourceField source={source} onChange={setSource} />}
          <Group align="flex-start" gap="lg" className="share-top">
            <div className="grow">
              <CopyField label={share.link} text={texts.note ?? ''} value={url} />
              <Group gap="xs" mt="sm">
                <Button component="a" variant="default" size="compact-sm" href={qr} download={`${file}.svg`}>
                  {share.qr} {share.qrSvg}
                </Button>
                <Button
                  variant="default"
                  size="compact-sm"
                  onClick={() => void savePng(qr, `${file}.png`).catch(toastFailure)}
                >
                  {share.qr} {share.qrPng}
                </Button>
              </Group>
            </div>
            <img className="qr" src={qr} alt={filled(share.qrAlt, { url })} />
          </Group>
          {typeof children === 'function' ? children(source) : children}
          <Anchor size="sm" underline="always" href="/docs/site-builders" target="_blank" hrefLang="en">
            {share.sites}
          </Anchor>
          <CopyField label={share.script} text={texts.script} value={shared.script} />
          <CopyField label={share.frame} text={share.frameText} value={shared.frame} />
          <CopyField label={share.react} text={share.reactText} value={shared.react} />
          <CopyField label={share.rest} text={texts.rest} value={shared.rest} />
        </Stack>
      )}
    </Modal>
  )
}
