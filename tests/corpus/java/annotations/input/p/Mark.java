package p;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

@Retention(RetentionPolicy.RUNTIME)
public @interface Mark {
    Class<?> value() default Mark.class;

    Level level() default Level.LOW;

    enum Level {
        LOW, HIGH
    }
}
