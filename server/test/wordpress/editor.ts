import type { FrameLocator, Page } from 'playwright-core'
import { eventually } from '../eventually.ts'

type Canvas = Pick<FrameLocator, 'locator'>

/** The parts of an element of the browser that a paste needs. */
interface PasteTarget {
  readonly ownerDocument: {
    readonly defaultView: {
      readonly DataTransfer: new () => { setData(kind: string, text: string): void }
      readonly ClipboardEvent: new (name: string, init: object) => object
    }
  }
  dispatchEvent(event: object): void
}

/** Where blocks are edited: a frame in later releases. */
async function canvasOf(page: Page): Promise<Canvas> {
  await page.waitForSelector('iframe[name="editor-canvas"], .block-editor-writing-flow')
  const isFramed = (await page.locator('iframe[name="editor-canvas"]').count()) > 0
  return isFramed ? page.frameLocator('iframe[name="editor-canvas"]') : page
}

/** The steps of a person in the editor of posts, by what all releases have in common. */
export class Editor {
  readonly page: Page
  readonly canvas: Canvas

  private constructor(page: Page, canvas: Canvas) {
    this.page = page
    this.canvas = canvas
  }

  static of = async (page: Page): Promise<Editor> => new Editor(page, await canvasOf(page))

  /** Opens the list of blocks, and answers the titles that it finds. */
  async find(words: string): Promise<string[]> {
    const search = this.page.locator('.block-editor-inserter__search input')
    if ((await search.count()) === 0) {
      await this.page.click('.edit-post-header-toolbar__inserter-toggle, .editor-document-tools__inserter-toggle')
    }
    await search.fill(words)
    const items = this.page.locator('.block-editor-inserter__panel-content .block-editor-block-types-list__item')
    await eventually(async () => (await items.allInnerTexts()).join().toLowerCase().includes('tossup'))
    return items.allInnerTexts()
  }

  insert = (): Promise<void> => this.page.click('.editor-block-list-item-tossup-poll')

  /** Pastes a text into an empty paragraph. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate(
      `wp.data.dispatch('core/block-editor').insertBlock(wp.blocks.createBlock('core/paragraph'))`,
    )
    const paragraph = this.canvas
      .locator('p[contenteditable="true"], [contenteditable="true"].wp-block-paragraph')
      .last()
    await paragraph.click()
    await paragraph.evaluate((place: unknown, pasted) => {
      const target = place as PasteTarget
      const { DataTransfer, ClipboardEvent } = target.ownerDocument.defaultView
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', pasted)
      target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  }

  /** Selects the block, so that its options are in the sidebar. */
  async select(): Promise<void> {
    await this.page.evaluate(`(() => {
      const { getBlocks } = wp.data.select('core/block-editor')
      const [block] = getBlocks().filter(({ name }) => name === 'tossup/poll')
      wp.data.dispatch('core/block-editor').selectBlock(block.clientId)
      wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/block')
    })()`)
  }

  content = (): Promise<string> => this.page.evaluate("wp.data.select('core/editor').getEditedPostContent()")

  /** Answers the address of the post. */
  async publish(title: string): Promise<string> {
    await this.page.evaluate((text) => {
      const { wp } = globalThis as unknown as {
        wp: { data: { dispatch(store: string): { editPost(edits: object): void } } }
      }
      wp.data.dispatch('core/editor').editPost({ title: text })
    }, title)
    await this.page.click('.editor-post-publish-panel__toggle, .editor-post-publish-button__button')
    await this.page.click('.editor-post-publish-panel .editor-post-publish-button')
    await this.page.waitForSelector(
      '.post-publish-panel__postpublish, .editor-post-publish-panel__content .post-publish-panel__postpublish-header',
    )
    return this.page.evaluate("wp.data.select('core/editor').getPermalink()")
  }
}
