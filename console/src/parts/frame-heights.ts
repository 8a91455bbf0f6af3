/** Pixels in which each of them fits where its pictures are side by side. With `/embed.js` a frame has the height of its content. */
export const FRAME_HEIGHTS = { texts: 450, pictures: 620, combined: 680, campaign: 700 } as const
