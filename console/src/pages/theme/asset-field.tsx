import { Icon } from '../../parts/icons.tsx'
import type { PickedPicture } from '../../parts/pictures/picked-picture.ts'
import { PictureDrop } from '../../parts/pictures/picture-drop.tsx'
import { formWords } from '../../words/form-words.ts'
import { decimal, filled, oneOf } from '../../words/words.ts'
import type { AssetName } from './theme-draft.ts'

const TYPES = { logo: ['image/png', 'image/svg+xml', 'image/webp'], icon: ['image/png', 'image/svg+xml'] } as const
const TYPE_NAMES = { logo: ['PNG', 'SVG', 'WebP'], icon: ['PNG', 'SVG'] } as const
const MEBIBYTE = 1024 * 1024
const MOST_BYTES = 2 * MEBIBYTE

type Kind = keyof typeof TYPES

function refusalOf({ type, size }: File, kind: Kind): string | null {
  const { look } = formWords()
  if (!TYPES[kind].some((known) => known === type)) return filled(look.assetType, { types: oneOf(TYPE_NAMES[kind]) })
  return size > MOST_BYTES ? filled(look.assetSize, { size: decimal(size / MEBIBYTE) }) : null
}

interface AssetFieldProps {
  readonly name: AssetName
  readonly asset: PickedPicture
  readonly error: string | undefined
  /** The share that is sent while the upload runs. */
  readonly sent: number | undefined
  readonly onChange: (asset: PickedPicture) => void
}

/** A logo or the icon. */
export function AssetField({ name, asset, error, sent, onChange }: AssetFieldProps) {
  const { look } = formWords()
  const kind: Kind = name === 'faviconUrl' ? 'icon' : 'logo'
  const thumbnail = (
    <span className={`asset-ground ${name}`}>
      {asset ? <img src={asset.url} alt="" /> : <Icon name="picture" size={20} />}
    </span>
  )
  return (
    <PictureDrop
      label={look[name]}
      picture={asset}
      types={TYPES[kind]}
      refusalOf={(file) => refusalOf(file, kind)}
      error={error}
      sent={sent}
      thumbnail={thumbnail}
      title={look[name]}
      text={kind === 'icon' ? look.iconText : look.assetText}
      onChange={onChange}
    />
  )
}
