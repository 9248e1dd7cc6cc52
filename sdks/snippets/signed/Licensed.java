import io.countersign.Countersign;
import io.countersign.Signing;
import io.countersign.ValidateOptions;
import io.countersign.ValidateResult;
import java.util.List;

public class Licensed {
  public static void main(String[] arguments) {
    List<String> secrets = List.of(System.getenv("COUNTERSIGN_SIGNING_SECRETS").split(","));
    Countersign countersign =
        Countersign.builder()
            .apiKey(System.getenv("COUNTERSIGN_API_KEY"))
            .baseUrl("https://license.example.com")
            .signing(Signing.with("PRODUCT-ID", secrets))
            .build();

    ValidateResult result =
        countersign.validate(System.getenv("LICENSE_KEY"), ValidateOptions.none().version("1.0.0"));
    System.out.println(result.valid() ? "Licensed." : "Not licensed: " + result.status());
  }
}
