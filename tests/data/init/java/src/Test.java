import java.lang.annotation.*;
@Retention(RetentionPolicy.RUNTIME) @interface Test { boolean enabled() default true; }
@Retention(RetentionPolicy.RUNTIME) @interface BeforeClass {}
