/** They come from in front of a service. */
const ofGateways: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether a status is an answer of the service itself, which those that store answers repeat, and no success. */
export function isOfService(status: number | undefined): boolean {
  return isFailure(status) && !ofGateways.has(status);
}

/** Whether a status is a failure, or says that the request was judged and found wrong. */
export function isFailure(status: number | undefined): status is number {
  return status !== undefined && (isRefusal(status) || status >= 500);
}

/** Whether a status says that the request was judged and found wrong, also where an earlier try was left in doubt. */
export function isRefusal(status: number): boolean {
  return status === 400 || status === 422;
}
