import { ActionIcon, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { words } from '../words/words.ts'
import { Icon } from './icons.tsx'

interface MoreMenuProps {
  readonly isLoading?: boolean
  /** The items of the menu. */
  readonly children: ReactNode
}

/** The menu behind three dots: the actions that a page offers besides its main one. */
export const MoreMenu = ({ isLoading = false, children }: MoreMenuProps) => (
  <Menu position="bottom-end" width={220}>
    <Menu.Target>
      <ActionIcon variant="default" size={36} aria-label={words().common.more} loading={isLoading}>
        <Icon name="more" />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
)
