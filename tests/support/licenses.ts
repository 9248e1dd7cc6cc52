import type { ManageFixture } from "./manage-fixture.ts";

type Headers = Readonly<Record<string, string>>;

/** What the owner of an organization does with its licenses. The fixture is read when a function is called. */
export function licensesOf(fixture: ManageFixture) {
  const api = () => fixture.owner.api;
  return {
    create: async (body: object = {}, productId = fixture.productId) =>
      (await api().post(`/products/${productId}/licenses`, { customer_email: "a@b.c", ...body })).body,
    read: (id: string) => api().get(`/licenses/${id}`),
    patch: (id: string, body: object, headers?: Headers) => api().patch(`/licenses/${id}`, body, headers),
    act: (id: string, action: string, body?: object, headers?: Headers) =>
      api().post(`/licenses/${id}/${action}`, body, headers),
    bulk: (order: object, headers?: Headers) =>
      api().post(`/organizations/${fixture.organizationId}/licenses/bulk`, order, headers),
    list: async (query: string) =>
      (await api().get(`/organizations/${fixture.organizationId}/licenses?limit=200&${query}`)).body.data,
    /** From an IP address, if one is given. */
    validate: async (key: string, ip?: string) => {
      const headers: Headers = ip === undefined ? {} : { "x-forwarded-for": ip };
      return (await fixture.publicApi.validate({ license_key: key }, headers)).body;
    },
    newProduct: async (settings: object = {}) => {
      const products = `/organizations/${fixture.organizationId}/products`;
      return (await api().post(products, { name: "Another", ...settings })).body;
    },
  };
}

/** The status of a refusal, and the first field that it names. */
export function refusal(answer: {
  readonly status: number;
  readonly body: { readonly errors?: readonly { readonly field: string }[] };
}): [status: number, field: string | undefined] {
  return [answer.status, answer.body.errors?.[0]?.field];
}
