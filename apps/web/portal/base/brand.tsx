import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { accentStyle } from "./accent.ts";
import type { Seller } from "./api.ts";

type Brand = Seller | null;

const BrandContext = createContext<{ readonly brand: Brand; readonly set: (brand: Brand) => void }>({
  brand: null,
  set: () => undefined,
});

/** The seller whose name, logo and colour the portal shows: that of the page, or else the one the person came from. */
export function BrandProvider({ first, children }: { readonly first: Brand; readonly children: ReactNode }) {
  const [ofPage, set] = useState<Brand>(null);
  const brand = ofPage ?? first;
  useEffect(() => {
    const { style } = document.documentElement;
    for (const [name, value] of Object.entries(accentStyle(brand))) style.setProperty(name, value);
    return () => {
      for (const name of Object.keys(accentStyle(brand))) style.removeProperty(name);
    };
  }, [brand]);
  return <BrandContext value={{ brand, set }}>{children}</BrandContext>;
}

export function useBrand(): Brand {
  return useContext(BrandContext).brand;
}

/** Shows this seller until another page names one. Undefined while it is not known. */
export function usePageBrand(seller: Brand | undefined): void {
  const { set } = useContext(BrandContext);
  useEffect(() => {
    if (seller !== undefined) set(seller);
  }, [seller, set]);
}
