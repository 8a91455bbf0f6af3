import { Button, FileButton, Group, Text } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { decimal, filled, oneOf, words } from '../../words/words.ts'
import type { Asset, AssetName } from './theme-draft.ts'

const TYPES = { logo: ['image/png', 'image/svg+xml', 'image/webp'], icon: ['image/png', 'image/svg+xml'] } as const
const TYPE_NAMES = { logo: ['PNG', 'SVG', 'WebP'], icon: ['PNG', 'SVG'] } as const
const MEBIBYTE = 1024 * 1024
const MOST_BYTES = 2 * MEBIBYTE

type Kind = keyof typeof TYPES

function refusalOf({ type, size }: File, kind: Kind): string | null {
  const { look } = words()
  if (!TYPES[kind].some((known) => known === type)) return filled(look.assetType, { types: oneOf(TYPE_NAMES[kind]) })
  return size > MOST_BYTES ? filled(look.assetSize, { size: decimal(size / MEBIBYTE) }) : null
}

interface AssetFieldProps {
  readonly name: AssetName
  readonly asset: Asset
  readonly error: string | undefined
  readonly onChange: (asset: Asset) => void
}

/** A logo or the icon: dropped or chosen. What the service would refuse is said before it is sent. */
export function AssetField({ name, asset, error, onChange }: AssetFieldProps) {
  const { edit, look } = words()
  const [problem, setProblem] = useState<string | null>(null)
  const [isOver, setIsOver] = useState(false)
  const kind: Kind = name === 'faviconUrl' ? 'icon' : 'logo'
  const label = look[name]

  function take(file: File | null | undefined): void {
    if (!file) return
    const refusal = refusalOf(file, kind)
    setProblem(refusal)
    if (!refusal) onChange({ url: URL.createObjectURL(file), file })
  }

  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files[0])
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame
    <div
      role="group"
      aria-label={label}
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <Group wrap="nowrap" gap="sm">
        <span className={`asset-ground ${name}`}>
          {asset ? <img src={asset.url} alt="" /> : <Icon name="picture" size={20} />}
        </span>
        <div className="grow">
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <Text size="xs" c="dimmed" mb={6}>
            {kind === 'icon' ? look.iconText : look.assetText}
          </Text>
          <Group gap="xs">
            <FileButton onChange={take} accept={TYPES[kind].join(',')} inputProps={{ 'aria-label': label }}>
              {(props) => (
                <Button {...props} size="compact-sm" variant="default" aria-label={`${edit.choosePicture}: ${label}`}>
                  {edit.choosePicture}
                </Button>
              )}
            </FileButton>
            {asset && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={`${edit.removePicture}: ${label}`}
                onClick={() => onChange(null)}
              >
                {edit.removePicture}
              </Button>
            )}
          </Group>
        </div>
      </Group>
      {(problem ?? error) && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt={6}>
          {problem ?? error}
        </Text>
      )}
    </div>
  )
}
