declare module 'postject' {
  /** Writes data into an executable, as a resource of this name. */
  export function inject(
    executable: string,
    resource: string,
    data: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName: string },
  ): Promise<void>;
}
